import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { nextCopy, OBJECTS } from './backup/copy-folders.ts'
import { copyObjects } from './backup/copy-objects.ts'
import { CopyError, PLAIN, type Sealing } from './backup/part-folder.ts'
import { sealFor } from './backup/sealing.ts'
import { copyTables, finishCopy } from './backup/take-copy.ts'
import { openAccount } from './cloudflare/account.ts'
import { ApiError } from './cloudflare/ask-api.ts'
import { openBucket } from './cloudflare/r2-objects.ts'
import { d1Reader } from './cloudflare/read-d1.ts'
import { EnvironmentError, environmentFiles, PRODUCTION } from './deploy/environment.ts'
import { readSettings } from './deploy/wrangler.ts'
import { bucketName, databaseName } from './deploy/wrangler-config.ts'
import { showUsageIfAsked } from './show-usage.ts'

const USAGE = `Usage: npm run backup -- [--env <name>] --to <folder> --recipient <age1…> | --plain
Copies the database and the bucket of a deployment, which goes on working. Passwords' hashes, addresses and sealed secrets are in
the copy: it is encrypted for the recipient, whose key \`age-keygen\` makes; --plain writes it as it is.
Run it again after an interruption: it goes on where it was.`

function readArguments(): { name: string; to: string; sealing: Sealing } {
  const { values } = parseArgs({
    options: {
      env: { type: 'string', default: PRODUCTION },
      to: { type: 'string' },
      recipient: { type: 'string' },
      plain: { type: 'boolean', default: false },
    },
  })
  const { to, recipient, plain } = values
  if (to === undefined || (recipient === undefined) !== plain) throw new CopyError(USAGE)
  return { name: values.env, to: resolve(to), sealing: recipient === undefined ? PLAIN : sealFor(recipient) }
}

showUsageIfAsked(USAGE)
try {
  const { name, to, sealing } = readArguments()
  const { settings: file } = environmentFiles(name)
  const settings = await readSettings(file)
  if (!settings) throw new EnvironmentError(`There is no ${file}: the copy is of the deployment that it describes.`)
  const account = await openAccount(settings)
  const bucket = await openBucket(account, bucketName(settings))
  const read = await d1Reader(account, databaseName(settings))
  const { folder, isNew } = await nextCopy(to, Date.now())
  console.log(isNew ? `The copy is ${folder}` : `The copy in ${folder} was interrupted; it goes on.`)
  const state = await copyTables(folder, {
    read,
    sealing,
    onTable: (table, rows) => console.log(`${table}: ${rows} rows`),
  })
  const { listed, read: count } = await copyObjects(bucket, { objects: join(to, OBJECTS), list: folder, sealing })
  await finishCopy(folder, state, Date.now())
  console.log(`${listed} objects, of which ${count} were not there yet. The copy is whole.`)
} catch (error) {
  const isTold = [CopyError, ApiError, EnvironmentError].some((kind) => error instanceof kind)
  const isArgument = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (!(isTold || isArgument) || !(error instanceof Error)) throw error
  console.error(isArgument ? `${error.message}\n${USAGE}` : error.message)
  process.exitCode = 1
}
