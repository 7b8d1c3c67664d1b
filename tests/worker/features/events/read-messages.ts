/** A message of a stream of events; `data` is what `data:` holds, as JSON. */
export interface StreamMessage {
  id: string | undefined
  type: string | undefined
  data: { type?: string; timestamp?: string; data?: Record<string, unknown> }
}

/** The messages in a text of Server-Sent Events (WHATWG HTML, 9.2.6); comments are none. */
export function readMessages(text: string): StreamMessage[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'))
  return blocks.map((block) => {
    const fields = new Map(block.split('\n').map((line): [string, string] => [line.split(': ', 1)[0] ?? '', line]))
    const value = (name: string) => fields.get(name)?.slice(name.length + 2)
    return { id: value('id'), type: value('event'), data: JSON.parse(value('data') ?? '{}') }
  })
}
