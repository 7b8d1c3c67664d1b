import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { WHOLE_CERTIFICATE } from '../kit/test-certificates.ts'

/** An answer as it was sent: nothing is decoded. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: Uint8Array | string
  /** The client's own address, any of this machine's. */
  from?: string
}

/** Asks a host by https where a proxy listens, each time on a connection of its own; the answer with its body to be read. */
export async function openThrough(
  address: string,
  host: string,
  path: string,
  { method = 'GET', headers = {}, body, from }: Asked = {},
): Promise<IncomingMessage> {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  return await new Promise((resolve, reject) => {
    request(
      {
        host: address,
        port: 443,
        servername: host,
        ca: WHOLE_CERTIFICATE.cert,
        agent: false,
        ...(from === undefined ? {} : { localAddress: from }),
        method,
        path,
        headers: { Host: host, ...length, ...headers },
      },
      resolve,
    )
      .on('error', reject)
      .end(body)
  })
}

/** The same with the whole body. */
export async function askThrough(...asked: Parameters<typeof openThrough>): Promise<Answer> {
  const response = await openThrough(...asked)
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }
}
