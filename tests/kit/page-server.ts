import { createServer } from 'node:http'
import { closeServer, listen } from './loopback-server.ts'

/** What a page author's own server sends. */
interface ServedFile {
  body: string | Uint8Array
  type?: string
  policy?: string
  headers?: Record<string, string>
}

/** A page author's server: an origin of its own, whose pages browsers may keep. */
export interface PageServer {
  origin: string
  /** Serves a file at a path of its own; returns the URL. */
  serve(file: ServedFile, path?: string): string
  cut: boolean
  close(): Promise<void>
}

export async function startPageServer(): Promise<PageServer> {
  const files = new Map<string, ServedFile>()
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '')
    if (pages.cut) response.destroy()
    else if (!file) response.writeHead(404).end()
    else {
      response.setHeader('Content-Type', file.type ?? 'text/html; charset=utf-8')
      response.setHeader('Cache-Control', 'public, max-age=3600')
      if (file.policy) response.setHeader('Content-Security-Policy', file.policy)
      for (const [name, value] of Object.entries(file.headers ?? {})) response.setHeader(name, value)
      response.end(file.body)
    }
  })
  const port = await listen(server)
  const pages: PageServer = {
    // Another origin than the API's, and still one that browsers take for secure.
    origin: `http://localhost:${port}`,
    serve(file, path = `/page-${files.size}`) {
      files.set(path, file)
      return pages.origin + path
    },
    cut: false,
    close: () => closeServer(server),
  }
  return pages
}
