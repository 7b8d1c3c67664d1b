import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import type { Samples } from './store-samples.ts'

const EXAMPLES = new URL('../examples/', import.meta.url)
const TYPES: Record<string, string> = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' }

/**
 * Serves the sample page from an origin of its own, as a page author's server would: it knows nothing of the
 * content but its names.
 */
export async function serveSamples(options: {
  samples: Samples
  baseUrl: string
  storageHost: string
  port: number
}): Promise<{ url: string; close(): Promise<void> }> {
  const { samples, baseUrl, storageHost } = options
  const values: Record<string, string> = {
    base_url: baseUrl,
    picture: samples.picture.join(','),
    letter: samples.letter.join(','),
    letter_count: String(samples.letter.length),
    page: samples.page.join(','),
    site: samples.site,
    site_url: `${new URL(baseUrl).protocol}//${samples.site}.ipfs.${storageHost}/`,
    inscribed_page_url: `${new URL(baseUrl).protocol}//bitcoin.${storageHost}/content/${samples.others.inscribedPage}`,
    inscription: samples.others.inscription,
    doginal: samples.others.doginal,
    doginal_of_parts: samples.others.doginalOfParts,
    doginal_count: String(samples.others.doginalOfParts.split('+').length),
    stamp: samples.others.stamp,
    multisig_stamp: samples.others.multisigStamp,
  }
  const server = createServer(async (request, response) => {
    const path = request.url === '/' ? 'index.html' : (request.url ?? '').slice(1)
    const type = /^[a-z]+\.[a-z]+$/.test(path) ? TYPES[extname(path)] : undefined
    const file = type && (await readFile(new URL(path, EXAMPLES), 'utf8').catch(() => undefined))
    if (file === undefined) {
      response.writeHead(404).end()
      return
    }
    const text = file.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')
    // Cached for a while, so that the page is complete without network; reloading requests it again.
    response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'max-age=600' }).end(text)
  })
  server.listen(options.port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    // The port beside the Worker's is a nicety; any free one will do.
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : options.port
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
