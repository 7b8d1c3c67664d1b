import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isRecord } from '../worker/platform/http/is-record.ts'

const ROOT = new URL('../', import.meta.url)
const FILE = 'bill-of-materials.cdx.json'
/** Larger than the list of all packages, in bytes. */
const MAX_OUTPUT = 32 * 1024 * 1024

/**
 * Writes the bill of materials of a release (CycloneDX, by `npm sbom`) into a folder: every package of the lock file with
 * its licence and hash; those that only build and test are marked as of development. Answers its path.
 */
export function writeBill(folder: URL): string {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx']
  const text = execFileSync('npm', args, { cwd: fileURLToPath(ROOT), encoding: 'utf8', maxBuffer: MAX_OUTPUT })
  const bill: unknown = JSON.parse(text)
  if (!isRecord(bill) || bill.bomFormat !== 'CycloneDX') throw new Error('npm wrote no bill of materials.')
  mkdirSync(folder, { recursive: true })
  const file = fileURLToPath(new URL(FILE, folder))
  writeFileSync(file, JSON.stringify(bill))
  return file
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(writeBill(new URL('dist/', ROOT)))
