import { withHTTP } from '@helia/http'
import { createVerifiedFetch } from '@helia/verified-fetch'
import { createHeliaLight } from 'helia'

// node read-by-verified-fetch.js <gateway> <json: [{url, range?}]>: prints what was received for each as JSON, bytes in base64.

const [gateway, wishes] = process.argv.slice(2)

/** As people use it, with one gateway as all that it knows of the network. */
async function open() {
  // The gateway is also the router: it has none and says so, and no other host is queried.
  const sources = { delegatedRouters: [gateway], recursiveGateways: [gateway], allowInsecure: true, allowLocal: true }
  const helia = await withHTTP(createHeliaLight(), sources).start()
  return { helia, verifiedFetch: await createVerifiedFetch(helia) }
}

const answers = []
for (const { url, range } of JSON.parse(wishes)) {
  const { helia, verifiedFetch } = await open()
  const response = await verifiedFetch(url, range ? { headers: { Range: range } } : {})
  answers.push({
    status: response.status,
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
  })
  await helia.stop()
}
// What Helia leaves open would keep the process; its output has to be whole first.
process.stdout.write(JSON.stringify(answers), () => process.exit(0))
