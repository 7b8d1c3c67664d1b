import type { Page } from 'playwright-core'
import { type IpfsServerOptions, ipfsServer, type TestBlocks } from '../reader/ipfs-server.ts'

/** Answers what a page asks any gateway for by blocks of the test; returns the requests, as they come. */
export async function answerBlocks(page: Page, blocks: TestBlocks, options?: IpfsServerOptions): Promise<string[]> {
  const server = ipfsServer(blocks, options)
  await page.route(/\/ipfs\//, async (route) => {
    const answer = await server.fetch(route.request().url())
    await route.fulfill({
      status: answer.status,
      headers: { 'Access-Control-Allow-Origin': '*' },
      body: Buffer.from(await answer.arrayBuffer()),
    })
  })
  return server.requests
}
