import { sha256 } from '@noble/hashes/sha2.js'
import { decodeBrotli } from '../../../client/decode-brotli.ts'
import { type Answering, answerRequest, type Report } from '../../../client/worker/answer-request.ts'
import { ChainContents } from '../../../client/worker/chain-content.ts'
import type { Tools } from '../../../client/worker/content.ts'
import { openIpfsContent } from '../../../client/worker/ipfs-content.ts'
import { openSiteFile } from '../../../client/worker/site-file.ts'
import { chainServer } from '../../reader/chain-server.ts'
import { type IpfsServerOptions, ipfsServer, type TestBlocks } from '../../reader/ipfs-server.ts'

export const SCOPE = 'https://author.example/'

/** What a host of the worker does with a request. */
export type Host = (url: string, init: RequestInit) => Promise<Response>

/** A host that serves transactions and blocks. */
export function hostOf(
  { blocks, transactions = [] }: { blocks?: TestBlocks; transactions?: Parameters<typeof chainServer>[0] },
  options: IpfsServerOptions & { tamperChain?: Parameters<typeof chainServer>[1] } = {},
) {
  const ipfs = blocks && ipfsServer(blocks, options)
  const chain = chainServer(transactions, options.tamperChain)
  const fetch: Host = async (url, init) =>
    url.includes('/v0/tx') ? chain.fetch(url, init) : ((await ipfs?.fetch(url)) ?? new Response(null, { status: 404 }))
  return { fetch, requests: ipfs?.requests ?? [], chainRequests: chain.requests }
}

interface AskOptions {
  destination?: string
  mode?: string
  method?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** The worker with these hosts, without a browser around it. */
export function workerOf(hosts: Record<string, Host>) {
  const reports: Report[] = []
  const tools: Tools = {
    hosts: Object.keys(hosts),
    fetch: async (url, init) => {
      const host = hosts[new URL(url).origin]
      if (!host) throw new TypeError('no such host')
      return await host(url, init)
    },
    sha256: async (bytes) => sha256(bytes),
  }
  const openFile = (content: Uint8Array, path: string) => openSiteFile(content, path, tools.sha256)
  const chains = new ChainContents({ ...tools, decode: decodeBrotli, openSiteFile: openFile })
  const answering: Answering = {
    scope: SCOPE,
    open: (route, wanted, signal) =>
      route.kind === 'chain' ? chains.open(route, signal) : openIpfsContent(tools, route.place, wanted, signal),
    report: (report) => reports.push(report),
  }
  const answer = (path: string, { destination = 'image', mode = 'no-cors', ...options }: AskOptions = {}) =>
    answerRequest(
      {
        url: new URL(path, SCOPE).href,
        method: options.method ?? 'GET',
        headers: new Headers(options.headers),
        signal: options.signal ?? new AbortController().signal,
        destination,
        mode,
      },
      answering,
    )
  const ask = async (path: string, options?: AskOptions): Promise<Response> => {
    const answered = answer(path, options)
    if (!answered) throw new Error('the worker does not touch this request')
    return await answered.response
  }
  return { answer, ask, reports }
}

/** What of a body arrives, and whether it ended well. */
export async function readBody(response: Response): Promise<{ bytes: Uint8Array; ended: boolean }> {
  const parts: Uint8Array[] = []
  const reader = response.body?.getReader()
  try {
    for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) parts.push(step.value)
    return { bytes: Buffer.concat(parts), ended: true }
  } catch {
    return { bytes: Buffer.concat(parts), ended: false }
  }
}
