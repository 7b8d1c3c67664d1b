import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { BuildManifest } from '../../client-hook/build-manifest.ts'
import { closeServer, listen } from '../kit/loopback-server.ts'

const DIST = new URL('../../client-hook/dist/', import.meta.url)

/** A host of the page helper alone, whose transactions a test makes up. */
interface LyingHost {
  url: string
  /** The body of the page at `/`. */
  page: string
  /** What is answered for these txids; a reader asks for some with their witnesses. */
  answer: (txids: readonly string[], witness: boolean) => Uint8Array
  close(): Promise<void>
}

/** Serves the built helper as the Worker does, without the Worker: thousands of answers take no more time than the browser's. */
export async function startLyingHost(): Promise<LyingHost> {
  const manifest: BuildManifest = JSON.parse(readFileSync(new URL('manifest.json', DIST), 'utf8'))
  const assets = new Map(
    Object.entries(manifest).map(([name, { path, type }]) => [
      name === 'hook.js' ? '/hook.js' : path,
      { type, body: readFileSync(new URL(`${name}.br`, DIST)) },
    ]),
  )
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    response.setHeader('Access-Control-Allow-Origin', '*')
    const [, txids] = /^\/v0\/tx\/\w+\/([0-9a-f,]+)$/.exec(pathname) ?? []
    const asset = assets.get(pathname)
    if (txids !== undefined) {
      response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Cache-Control': 'no-store' })
      response.end(host.answer(txids.split(','), searchParams.get('witness') === '1'))
    } else if (asset) {
      response.writeHead(200, { 'Content-Type': asset.type, 'Content-Encoding': 'br' }).end(asset.body)
    } else if (pathname === '/') {
      const head = '<!doctype html><meta charset="utf-8"><title>page</title><script src="/hook.js"></script>'
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(`${head}<body>${host.page}`)
    } else response.writeHead(404).end()
  })
  const host: LyingHost = {
    url: `http://127.0.0.1:${await listen(server)}`,
    page: '',
    answer: () => new Uint8Array(0),
    close: () => closeServer(server),
  }
  return host
}
