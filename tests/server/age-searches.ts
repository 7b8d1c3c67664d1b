import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFile } from '../../server/command/database-file.ts'

/**
 * While nothing runs on a data folder: makes the last whole search of each wallet an old one. Payments that arrive while a wallet is
 * looked at can make one necessary; the next is ten minutes later, and withdrawals wait for it.
 */
export function ageSearches(dataDir: string): void {
  const database = new DatabaseSync(databaseFile(join(dataDir, 'objects')))
  database.exec('UPDATE wallet_scans SET searched_at = 0')
  database.close()
}
