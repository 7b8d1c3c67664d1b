/** A node's refusal of a call. */
export class NodeError extends Error {
  override name = 'NodeError'
  readonly code: number
  readonly status: number

  constructor(code: number, message: string, status: number) {
    super(message)
    this.code = code
    this.status = status
  }
}

/** Where a node listens; `url` without credentials. */
export interface NodeAddress {
  url: string
  user: string
  password: string
}

export interface HttpAnswer {
  status: number
  headers: Headers
  text: string
}

/** Posts a body as it is. */
export async function post(node: NodeAddress, body: string, authorization?: string): Promise<HttpAnswer> {
  const response = await fetch(node.url, {
    method: 'POST',
    headers: { Authorization: authorization ?? `Basic ${btoa(`${node.user}:${node.password}`)}` },
    body,
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Calls a method, with arguments by position or by name. @throws {NodeError} */
export async function call(node: NodeAddress, method: string, params: unknown[] | object = []): Promise<unknown> {
  const { status, text } = await post(node, JSON.stringify({ jsonrpc: '1.0', id: 'test', method, params }))
  const reply = at(JSON.parse(text))
  const code = reply('error', 'code')
  if (typeof code === 'number') throw new NodeError(code, String(reply('error', 'message')), status)
  return reply('result')
}

/** Looks into an answer by keys; `undefined` where there is nothing. */
export function at(value: unknown): (...keys: (string | number)[]) => unknown {
  return (...keys) => {
    let here = value
    for (const key of keys) {
      if (typeof here !== 'object' || here === null) return undefined
      here = new Map<string, unknown>(Object.entries(here)).get(String(key))
    }
    return here
  }
}

/** An answer as the list it must be. */
export function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`not a list: ${JSON.stringify(value)}`)
  return value
}

/** An answer as the text it must be. */
export function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`not a text: ${JSON.stringify(value)}`)
  return value
}

/** An answer as the number it must be. */
export function number(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError(`not a number: ${JSON.stringify(value)}`)
  return value
}
