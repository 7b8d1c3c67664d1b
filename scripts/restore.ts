import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AdminError } from './admin/make-admin.ts'
import { OBJECTS } from './backup/copy-folders.ts'
import { restoreObjects } from './backup/copy-objects.ts'
import { fillDatabase } from './backup/fill-database.ts'
import { CopyError } from './backup/part-folder.ts'
import { repairDatabase } from './backup/repair.ts'
import { restoreDatabase } from './backup/restore-database.ts'
import { openWith } from './backup/sealing.ts'
import { openAccount } from './cloudflare/account.ts'
import { ApiError } from './cloudflare/ask-api.ts'
import { openBucket } from './cloudflare/r2-objects.ts'
import { DeployError, findBucket } from './deploy/deploy.ts'
import { EnvironmentError, environmentFiles, PRODUCTION } from './deploy/environment.ts'
import { removeWhenInterrupted, thisMachine } from './deploy/this-machine.ts'
import { bucketName } from './deploy/wrangler-config.ts'
import { OlderDatabaseError } from './migrations.ts'
import { showUsageIfAsked } from './show-usage.ts'

const USAGE = `Usage: npm run restore -- [--env <name>] --from <folder>/tables/<copy> [--identity <file>]
Fills a new database, and the bucket, of a copy that \`npm run backup\` took. --identity names the key file of \`age-keygen\`.
Run it again after an interruption: it goes on where it was.`

/** Rows named of those that were deleted; their number is always told. */
const MOST_NAMED = 1_000

function readArguments() {
  const { values } = parseArgs({
    options: { env: { type: 'string', default: PRODUCTION }, from: { type: 'string' }, identity: { type: 'string' } },
  })
  if (values.from === undefined) throw new CopyError(USAGE)
  return { name: values.env, folder: resolve(values.from), identity: values.identity }
}

showUsageIfAsked(USAGE)
const work = await mkdtemp(join(tmpdir(), 'hookline-restore-'))
try {
  const { name, folder, identity } = readArguments()
  const open = identity === undefined ? undefined : openWith(await readFile(identity, 'utf8'))
  const environment = environmentFiles(name)
  removeWhenInterrupted(environment)
  const machine = await thisMachine(environment)
  const filled = await fillDatabase(folder, join(work, 'restored.sqlite'), open)
  const { changed, dangling } = repairDatabase(filled, basename(folder))
  for (const { what, rows } of changed) console.log(`${rows} rows: ${what}`)
  for (const [table, rows] of filled.refused)
    console.log(`${rows} rows of ${table} left out: another row has the same key`)
  for (const { table, parent, rows } of dangling) {
    console.log(`${rows.length} rows of ${table} deleted, for their row of ${parent} is not in the copy:`)
    for (const row of rows.slice(0, MOST_NAMED)) console.log(`  ${row}`)
  }
  await restoreDatabase(machine, filled)
  const bucketOf = bucketName(machine.settings ?? {})
  await findBucket(machine, bucketOf)
  const bucket = await openBucket(await openAccount(machine.settings ?? {}), bucketOf)
  const objects = join(folder, '..', '..', OBJECTS)
  const put = await restoreObjects(bucket, { objects, list: folder, open, work: join(work, 'objects') })
  console.log(`${put} objects were put into the bucket.`)
  console.log(
    'Restored. Payouts and writing are stopped. Now `npm run deploy`, then docs/operate/backup.md, "After a restore".',
  )
} catch (error) {
  const told = [CopyError, ApiError, EnvironmentError, DeployError, AdminError, OlderDatabaseError]
  const isArgument = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (!(error instanceof Error) || !(isArgument || told.some((kind) => error instanceof kind))) throw error
  console.error(isArgument ? `${error.message}\n${USAGE}` : error.message)
  process.exitCode = 1
} finally {
  await rm(work, { recursive: true, force: true })
}
