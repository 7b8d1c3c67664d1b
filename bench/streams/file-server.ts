import { createServer } from 'node:http'
import { closeServer, listen } from '../../tests/kit/loopback-server.ts'

/** A plain server of files by their paths, with ranges. */
export async function startFileServer(files: Record<string, Uint8Array>) {
  const server = createServer((request, response) => {
    const file = files[request.url ?? '']
    if (!file) return void response.writeHead(404).end()
    const [, from = '0', to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    const start = Number(from)
    const end = Math.min(to ? Number(to) + 1 : file.length, file.length)
    response.setHeader('Content-Type', 'video/webm')
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Accept-Ranges', 'bytes')
    response.setHeader('Cache-Control', 'public, max-age=3600')
    response.setHeader('ETag', '"constant"')
    response.setHeader('Content-Length', end - start)
    if (request.headers.range) response.setHeader('Content-Range', `bytes ${start}-${end - 1}/${file.length}`)
    response.writeHead(request.headers.range ? 206 : 200).end(file.subarray(start, end))
  })
  return { port: await listen(server), close: () => closeServer(server) }
}
