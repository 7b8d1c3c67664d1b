import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { decodeJwt, importJWK, SignJWT } from 'jose'

/** What an earlier commit left behind, unpacked and as old as if it had been stopped a moment ago. */
export interface OldInstallation<Told> {
  /** `upgrade.json` in the archive: its state. */
  told: Told
  /** Where the Worker and the chains find it. */
  folders: { stateDir: string; devnetDir: string }
  /** Its settings that are in no other file. */
  variables: { TOKEN_JWKS: string }
  /** The refresh token of the archive, issued as much later as the rows were moved. */
  refreshToken(): Promise<string>
  remove(): void
}

/** Unpacks `fixtures/state-<commit>.tar.gz` into a folder of its own. */
export function unpackInstallation<Told extends { refreshToken: string }>(commit: string): OldInstallation<Told> {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-upgrade-'))
  const archive = fileURLToPath(new URL(`./fixtures/state-${commit}.tar.gz`, import.meta.url))
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  const told: Told = JSON.parse(readFileSync(join(folder, 'upgrade.json'), 'utf8'))
  const keys = readFileSync(join(folder, 'token-keys.json'), 'utf8')
  const age = Date.now() - (decodeJwt(told.refreshToken).iat ?? 0) * 1000
  makeYounger(join(folder, 'state/d1/miniflare-D1DatabaseObject'), age)
  return {
    told,
    folders: { stateDir: join(folder, 'state'), devnetDir: join(folder, 'devnet') },
    variables: { TOKEN_JWKS: keys },
    refreshToken: () => issueLater(told.refreshToken, keys, Math.floor(age / 1000)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Times in milliseconds from 2023 to 2033; no id and no amount of the archives is one of these numbers. */
const TIME = 'BETWEEN 1700000000000 AND 2000000000000'

/** Moves each time of the database by so many milliseconds: what was about to expire must not have expired long ago. */
function makeYounger(directory: string, by: number): void {
  // The database beside Miniflare's own metadata.
  const [file] = readdirSync(directory)
    .filter((name) => name.endsWith('.sqlite'))
    .map((name) => join(directory, name))
    .sort((a, b) => statSync(b).size - statSync(a).size)
  const db = new DatabaseSync(file ?? '')
  const columns = db
    .prepare(
      `SELECT tables.name AS "table", columns.name AS "column"
       FROM pragma_table_list AS tables JOIN pragma_table_info(tables.name) AS columns
       WHERE tables.schema = 'main' AND tables.type = 'table' AND tables.name NOT LIKE 'sqlite%'
         AND tables.name NOT LIKE '_cf%' AND columns.type = 'INTEGER'`,
    )
    .all()
  // Nothing may change the audit log.
  const guards = db.prepare(`SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'`).all()
  for (const { name } of guards) db.exec(`DROP TRIGGER "${name}"`)
  for (const { table, column } of columns) {
    db.exec(`UPDATE "${table}" SET "${column}" = "${column}" + ${by} WHERE "${column}" ${TIME}`)
  }
  for (const { sql } of guards) db.exec(String(sql))
  db.close()
}

async function issueLater(token: string, jwks: string, seconds: number): Promise<string> {
  const { iat = 0, exp = 0, auth_time, ...claims } = decodeJwt(token)
  const { keys }: { keys: { k: string; kty: string }[] } = JSON.parse(jwks)
  const payload = { ...claims, auth_time: Number(auth_time) + seconds, iat: iat + seconds, exp: exp + seconds }
  const key = await importJWK({ ...keys[0], kty: 'oct' }, 'HS256')
  return await new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(key)
}
