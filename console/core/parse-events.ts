/** One message of a stream of Server-Sent Events. */
export interface StreamMessage {
  /** Empty where it only says where to go on. */
  type: string
  data: string
  /** Of this message, or of the last one that had one. */
  id: string
}

/** A message longer than this is none of ours. */
const MAX_PENDING = 4 * 1024 * 1024

/**
 * Reads Server-Sent Events (WHATWG HTML, 9.2.6) from pieces of text as they arrive. Comments, which are heartbeats
 * here, give nothing. @throws {RangeError} where a message does not end.
 */
export function createEventParser(lastId = ''): (piece: string) => StreamMessage[] {
  let pending = ''
  let id = lastId
  let type = ''
  let data: string[] = []
  let first = true
  let fresh = false
  return (piece) => {
    pending += first ? piece.replace(/^\uFEFF/, '') : piece
    if (piece !== '') first = false
    if (pending.length > MAX_PENDING) throw new RangeError('a message of the stream does not end')
    const messages: StreamMessage[] = []
    // A lone CR at the very end may be the first half of CRLF.
    for (let match = nextLine(pending); match; match = nextLine(pending)) {
      pending = pending.slice(match.length)
      const { line } = match
      if (line === '') {
        if (data.length > 0) messages.push({ type: type || 'message', data: data.join('\n'), id })
        else if (fresh) messages.push({ type: '', data: '', id })
        fresh = false
        type = ''
        data = []
        continue
      }
      const colon = line.indexOf(':')
      const field = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (field === 'event') type = value
      else if (field === 'data') data.push(value)
      else if (field === 'id' && !value.includes('\0')) {
        id = value
        fresh = true
      }
    }
    return messages
  }
}

function nextLine(text: string): { line: string; length: number } | undefined {
  const end = text.search(/[\r\n]/)
  if (end < 0 || (text[end] === '\r' && end === text.length - 1)) return undefined
  const long = text[end] === '\r' && text[end + 1] === '\n'
  return { line: text.slice(0, end), length: end + (long ? 2 : 1) }
}
