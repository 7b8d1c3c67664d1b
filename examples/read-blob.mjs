// Reads a text from the API as any program can, decoding with a Brotli of its own.
//   node examples/read-blob.mjs http://127.0.0.1:8787 Bitcoin <txid> <txid> …
import { createRequire } from 'node:module'

// Its ES module is for browsers.
const require = createRequire(import.meta.url)
const brotli = require('brotli-wasm')

const [baseUrl, blockchain, ...txids] = process.argv.slice(2)
if (txids.length === 0) {
  console.error('Usage: node examples/read-blob.mjs http://127.0.0.1:8787 Bitcoin <txid> <txid> …')
  process.exit(2)
}
const response = await fetch(`${baseUrl}/v0/blob`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ blockchain, txids }),
})
if (!response.ok) {
  // A transaction that does not exist, or holds no data, is a 404 without a body.
  console.error(response.status, (await response.text()) || `${blockchain} has no such content.`)
  process.exit(1)
}
const stored = Buffer.from(await response.text(), 'hex')
process.stdout.write(brotli.decompress(stored))
