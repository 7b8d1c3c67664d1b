import { brotliDecompressSync } from 'node:zlib'
import type { BuildManifest, BuiltAsset } from '../../../client-hook/build-manifest.ts'
import brotliWasm from '../../../client-hook/dist/brotli.wasm.br'
import frame from '../../../client-hook/dist/frame.html.br'
import framesScript from '../../../client-hook/dist/frames.js.br'
import hook from '../../../client-hook/dist/hook.js.br'
import indexScript from '../../../client-hook/dist/index.js.br'
import insecureScript from '../../../client-hook/dist/insecure.js.br'
import ipfsScript from '../../../client-hook/dist/ipfs.js.br'
import lazyScript from '../../../client-hook/dist/lazy.js.br'
import manifestData from '../../../client-hook/dist/manifest.json.br'
import namedScript from '../../../client-hook/dist/named.js.br'
import proofScript from '../../../client-hook/dist/proof.js.br'
import scryptScript from '../../../client-hook/dist/scrypt.js.br'
import shell from '../../../client-hook/dist/shell.html.br'
import showScript from '../../../client-hook/dist/show.js.br'
import siteScript from '../../../client-hook/dist/site.js.br'
import sourcesScript from '../../../client-hook/dist/sources.js.br'
import streamsScript from '../../../client-hook/dist/streams.js.br'
import worker from '../../../client-hook/dist/worker.js.br'
import { type BuiltFile, builtFile, etagOf } from '../../platform/http/built-file.ts'

/** What was built, as the build wrote it down. */
export const manifest: BuildManifest = JSON.parse(brotliDecompressSync(manifestData).toString())

function built({ path, type, integrity }: BuiltAsset, data: ArrayBuffer): BuiltFile {
  return builtFile({ path, type, etag: etagOf(integrity) }, new Uint8Array(data))
}

export const hookScript = built(manifest['hook.js'], hook)
export const framePage = built(manifest['frame.html'], frame)
export const shellPage = built(manifest['shell.html'], shell)
export const frameWorker = built(manifest['worker.js'], worker)

/** Every file with a hash in its name, the helper itself included, by path. */
export const hashedAssets: ReadonlyMap<string, BuiltFile> = new Map(
  [
    hookScript,
    built(manifest['show.js'], showScript),
    built(manifest['brotli.wasm'], brotliWasm),
    built(manifest['ipfs.js'], ipfsScript),
    built(manifest['insecure.js'], insecureScript),
    built(manifest['lazy.js'], lazyScript),
    built(manifest['index.js'], indexScript),
    built(manifest['sources.js'], sourcesScript),
    built(manifest['proof.js'], proofScript),
    built(manifest['scrypt.js'], scryptScript),
    built(manifest['named.js'], namedScript),
    built(manifest['frames.js'], framesScript),
    built(manifest['streams.js'], streamsScript),
    built(manifest['site.js'], siteScript),
  ].map((file) => [file.path, file]),
)
