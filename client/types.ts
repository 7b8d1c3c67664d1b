/** What the service answers, as typed values: each type follows from the table by which it is read and checked. */
export type { Blockchain, StorageTarget } from '../protocol/chains.ts'
export type { ApiKey, Profile } from './answers/account.ts'
export type { ContentSource, Folder, Item, ItemStatus, ItemTransaction, ItemUpload } from './answers/items.ts'
export type {
  Estimate,
  LedgerEntry,
  Payment,
  PaymentRecord,
  PaymentRequest,
  Target,
  Withdrawal,
} from './answers/money.ts'
export type { Domain, DomainStep, Site, SiteVersion } from './answers/sites.ts'

/** One event of the account. `data` is what the API's description says of its type. */
export interface ServiceEvent {
  /** Absent on snapshots, which are not kept. */
  id: string | undefined
  type: string
  data: unknown
}
