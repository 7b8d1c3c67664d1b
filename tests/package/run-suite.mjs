import { runSuite } from './suite.mjs'

const [api, facts] = process.argv.slice(2)
console.log(JSON.stringify(await runSuite(api, JSON.parse(facts))))
