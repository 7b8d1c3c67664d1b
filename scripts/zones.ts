import { parseArgs } from 'node:util'
import { openAccount } from './cloudflare/account.ts'
import { ApiError } from './cloudflare/ask-api.ts'
import { EnvironmentError, environmentFiles, PRODUCTION } from './deploy/environment.ts'
import { setUpZones } from './deploy/set-up-zones.ts'
import { readSettings } from './deploy/wrangler.ts'
import { showUsageIfAsked } from './show-usage.ts'

const USAGE = `Usage: npm run zones -- [--env <name>] [--check]
Makes the DNS records and the certificate of STORAGE_HOST, and switches off what alters content, in the zones of BASE_URL and
STORAGE_HOST. With --check it changes nothing. It needs CLOUDFLARE_API_TOKEN. Exit code 1 where something is left to do.`

function readArguments(): { check: boolean; name: string } {
  const options = { check: { type: 'boolean', default: false }, env: { type: 'string', default: PRODUCTION } } as const
  try {
    const { values } = parseArgs({ options })
    return { check: values.check, name: values.env }
  } catch {
    throw new EnvironmentError(USAGE)
  }
}

showUsageIfAsked(USAGE)
try {
  const { check, name } = readArguments()
  const { settings: file } = environmentFiles(name)
  const settings = await readSettings(file)
  if (!settings) throw new EnvironmentError(`There is no ${file}: docs/operate/cloudflare.md says what is in it.`)
  const print = (line: string) => console.log(line)
  const left = await setUpZones(await openAccount(settings), settings, { checkOnly: check, print })
  if (left > 0) process.exitCode = 1
} catch (error) {
  if (!(error instanceof ApiError || error instanceof EnvironmentError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
