import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { askHealth } from './ask-health.ts'
import { BackupError, type BackupPlace } from './backup/backup-place.ts'
import { folderPlace } from './backup/folder-place.ts'
import { restoreBackup } from './backup/restore-backup.ts'
import { parseS3Address, s3Place } from './backup/s3-place.ts'
import { backupName, takeBackup } from './backup/take-backup.ts'
import { DamagedDataError } from './damaged-data.ts'
import { writeSettings } from './init.ts'
import { makeLasting } from './lasting.ts'
import { OtherVersionError } from './migrate-database.ts'
import { readSettings, SETTINGS_FILE } from './read-settings.ts'
import { LOCK, prepareFolder, workerdCall } from './serve.ts'
import { checkServer, type ServerPlan } from './server-settings.ts'

/** The folder of the whole. */
const HOME = join(import.meta.dirname, '..')

const USAGE = `hookline-server <command> [--env <file>]

  init     writes a file of settings, with keys that it makes
           --base-url <https://…>  --storage-host <host>  --data-dir <folder>
  check    says what is wrong with the settings, all at once, and changes nothing
  health   asks the running service how it is; exit code 0 where it is well
  backup   copies the data to a new place below --to <folder|s3:bucket/prefix>, while the service runs
  restore  makes the data of a backup, --from <folder|s3:…>, in an empty DATA_DIR; payouts are stopped
  serve    migrates the database and runs the service
           --older  where a newer version has run on this folder

Settings are in /etc/hookline/env, or the file that --env names; those of the environment come first.`

/** As sysexits.h numbers them. */
const EXIT = { usage: 64, damaged: 65, unavailable: 69, cannotCreate: 73, busy: 75, settings: 78 } as const

const COMMANDS = ['check', 'health', 'backup', 'restore', 'serve'] as const

function isCommand(text: string): text is (typeof COMMANDS)[number] {
  return COMMANDS.some((command) => command === text)
}

/** What was typed is no call of this command. */
class UsageError extends Error {
  override name = 'UsageError'
}

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      env: { type: 'string' },
      older: { type: 'boolean', default: false },
      /** This process has the lock of the folder. */
      locked: { type: 'boolean', default: false },
      to: { type: 'string' },
      from: { type: 'string' },
      'base-url': { type: 'string', default: '' },
      'storage-host': { type: 'string', default: '' },
      'data-dir': { type: 'string', default: '' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const [command] = positionals
  if (values.help || command === undefined) {
    console.log(USAGE)
    return values.help ? 0 : EXIT.usage
  }
  if (command === 'init') {
    const made = { BASE_URL: values['base-url'], STORAGE_HOST: values['storage-host'], DATA_DIR: values['data-dir'] }
    const file = values.env ?? SETTINGS_FILE
    writeSettings(file, join(HOME, 'settings.example'), made)
    console.log(`${file} is written. Fill in your node and your mail provider, then: hookline-server check`)
    return 0
  }
  if (!isCommand(command)) throw new UsageError(`${command} is no command.\n\n${USAGE}`)
  const given = readSettings(values.env, process.env)
  const plan = checkServer(given.values, given.named)
  if ('problems' in plan) {
    console.error(`These settings cannot work:\n${plan.problems.map((problem) => `  - ${problem}`).join('\n')}`)
    return EXIT.settings
  }
  if (command === 'health') return await askHealth(plan.machine.INTERNAL_LISTEN)
  if (command === 'backup') {
    if (values.to === undefined) throw new UsageError('backup needs --to <folder>.')
    const now = Date.now()
    const place = openPlace(`${values.to.replace(/\/+$/, '')}/${backupName(now)}`, plan)
    await takeBackup(plan.machine.DATA_DIR, place, now)
    console.log(place.name)
    return 0
  }
  if (command === 'restore') {
    if (values.from === undefined) throw new UsageError('restore needs --from <folder>.')
    if (isInUse(plan)) return sayInUse(plan)
    await restoreBackup(openPlace(values.from, plan), plan.machine.DATA_DIR)
    console.log('Restored, with payouts and writing stopped. Run `serve`, compare with the wallet, and let them go on.')
    return 0
  }
  for (const warning of plan.warnings) console.error(`  note: ${warning}`)
  if (command === 'check') {
    console.log('The settings can work.')
    return 0
  }
  return values.locked ? runWorkerd(plan, values.older) : lockFolder(plan)
}

/** @throws {UsageError} {@link BackupError} */
function openPlace(text: string, { machine }: ServerPlan): BackupPlace {
  if (!text.startsWith('s3:')) return folderPlace(text)
  const address = parseS3Address(text)
  if (!address) throw new UsageError(`${text} is not s3:<bucket>/<prefix>.`)
  const { AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: secret } = machine
  if (keyId === '' || secret === '') {
    throw new BackupError('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, by which S3 knows this service.')
  }
  const access = { endpoint: machine.AWS_ENDPOINT_URL_S3, region: machine.AWS_REGION, keyId, secret }
  return s3Place(address, access, machine.DATA_DIR)
}

const FLOCK = ['flock', '--nonblock', '--conflict-exit-code', String(EXIT.busy)]

/** `flock` becomes the program that it is given, which has the lock from then on. */
const LOCKED = ['/usr/bin/env', ...FLOCK, '--no-fork']

/** Whether another process runs on the folder. */
function isInUse({ machine }: ServerPlan): boolean {
  makeLasting(machine.DATA_DIR)
  const lock = join(machine.DATA_DIR, LOCK)
  const { status } = spawnSync('env', [...FLOCK, lock, 'true'], { stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0 && status !== EXIT.busy) throw new Error(`${machine.DATA_DIR} cannot be locked.`)
  return status === EXIT.busy
}

function sayInUse({ machine }: ServerPlan): number {
  console.error(`${machine.DATA_DIR} is in use by another hookline-server. Stop that one first.`)
  return EXIT.busy
}

/** Has this command run again as the one process that has the folder's lock. */
function lockFolder(plan: ServerPlan): number {
  if (isInUse(plan)) return sayInUse(plan)
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1), '--locked']
  const lock = join(plan.machine.DATA_DIR, LOCK)
  return replaceBy([...LOCKED, lock, ...again], process.env)
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  if (error instanceof DamagedDataError) return EXIT.damaged
  return error instanceof OtherVersionError || error instanceof BackupError ? EXIT.cannotCreate : EXIT.unavailable
}

function runWorkerd(plan: ServerPlan, older: boolean): number {
  const { checked, applied } = prepareFolder(plan.machine.DATA_DIR, join(HOME, 'migrations'), older)
  if (checked > 0) console.error(`  checked: ${checked} files, because the data is a copy`)
  for (const name of applied) console.error(`  migrated: ${name}`)
  const { args, env } = workerdCall(plan, HOME)
  // Node closes what it was given when it is replaced, this lock too: workerd gets one of its own.
  const lock = join(plan.machine.DATA_DIR, LOCK)
  return replaceBy([...LOCKED, lock, join(HOME, 'bin', 'workerd'), ...args], env)
}

/** This process becomes another: nothing of Node stays. */
function replaceBy([file = '', ...args]: string[], env: NodeJS.ProcessEnv): number {
  if (!process.execve) throw new Error('This version of Node cannot replace itself; run the one that was packed.')
  return process.execve(file, [file, ...args], env)
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = exitCodeOf(error)
}
