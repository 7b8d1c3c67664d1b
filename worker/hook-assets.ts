import { brotliDecompressSync } from 'node:zlib'
import brotliWasm from '../client-hook/dist/brotli.wasm.br'
import frame from '../client-hook/dist/frame.html.br'
import hook from '../client-hook/dist/hook.js.br'
import ipfsScript from '../client-hook/dist/ipfs.js.br'
import manifest from '../client-hook/dist/manifest.json'
import showScript from '../client-hook/dist/show.js.br'

/** A built file of the page helper; `compressed` is Brotli. */
export interface HookAsset {
  path: string
  type: string
  etag: string
  compressed: Uint8Array<ArrayBuffer>
  /** Decoded when first asked for, then kept: few clients take no Brotli. */
  raw(): Uint8Array<ArrayBuffer>
}

/** A file from its Brotli-compressed bytes. */
export function hookAsset(names: Pick<HookAsset, 'path' | 'type' | 'etag'>, data: ArrayBuffer): HookAsset {
  const compressed = new Uint8Array(data)
  let raw: Uint8Array<ArrayBuffer> | undefined
  return {
    ...names,
    compressed,
    raw() {
      raw ??= new Uint8Array(brotliDecompressSync(compressed))
      return raw
    },
  }
}

function built({ path, type, integrity }: (typeof manifest)[keyof typeof manifest], data: ArrayBuffer): HookAsset {
  const digest = integrity.slice('sha384-'.length)
  return hookAsset({ path, type, etag: `"${digest.slice(0, 24)}"` }, data)
}

export const hookScript = built(manifest['hook.js'], hook)
export const framePage = built(manifest['frame.html'], frame)

/** Every file with a hash in its name, the helper itself included, by path. */
export const hashedAssets: ReadonlyMap<string, HookAsset> = new Map(
  [
    hookScript,
    built(manifest['show.js'], showScript),
    built(manifest['brotli.wasm'], brotliWasm),
    built(manifest['ipfs.js'], ipfsScript),
  ].map((file) => [file.path, file]),
)
