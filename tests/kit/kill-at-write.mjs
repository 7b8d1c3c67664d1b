// Loaded before the command: ends it by SIGKILL before or after its n-th change of a file (KILL_AT_WRITE=n, KILL_SIDE),
// and writes their number to COUNT_FILE.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const fs = require('node:fs')
const files = require('node:fs/promises')
const { KILL_AT_WRITE, KILL_SIDE, COUNT_FILE } = process.env
let count = 0

function killing(run) {
  return async function (...args) {
    const own = ++count
    if (COUNT_FILE) fs.writeFileSync(COUNT_FILE, String(count))
    if (String(own) === KILL_AT_WRITE && KILL_SIDE === 'before') process.kill(process.pid, 'SIGKILL')
    const result = await run.apply(this, args)
    if (String(own) === KILL_AT_WRITE && KILL_SIDE === 'after') process.kill(process.pid, 'SIGKILL')
    return result
  }
}

for (const name of ['appendFile', 'writeFile', 'rename', 'link', 'rm']) files[name] = killing(files[name])
const { open } = files
files.open = async (...args) => {
  const handle = await open(...args)
  for (const name of ['appendFile', 'writeFile']) handle[name] = killing(handle[name].bind(handle))
  return handle
}
