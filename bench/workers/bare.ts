import init from './init.json'

// The limit: the same status, headers and bytes as the product's answer, from memory, and nothing else.
const { status, headers, encodeBody, body } = init
const bytes = new Uint8Array(Buffer.from(body, 'base64'))

export default {
  fetch: () => new Response(bytes, { status, headers, encodeBody }),
}
