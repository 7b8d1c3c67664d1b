/** What the service answers, as typed values: the types are written from the contract, and what is read is checked by it. */
import type { Blockchain } from '../protocol/chains.ts'
import type {
  PaymentRequest as AskedPayment,
  EventType,
  LaterWord,
  Payment as PaymentOfAddress,
  StorageTarget,
  Profile as WholeProfile,
} from './generated/types.ts'

export type { Blockchain, StorageTarget } from '../protocol/chains.ts'
export type {
  ApiKey,
  CreatedItem as ItemUpload,
  Domain,
  DomainStep,
  Estimate,
  EventType,
  Folder,
  Item,
  ItemStatus,
  ItemTransaction,
  KnownItem,
  LaterWord,
  LedgerEntry,
  Order,
  Payment as PaymentRecord,
  Receipt,
  ServiceErrorCode,
  Site,
  SiteProblems,
  SiteVersion,
  Target,
  Withdrawal,
} from './generated/types.ts'

/** The account, with the names of its role and of its permissions. */
export interface Profile extends Omit<WholeProfile, 'role' | 'permissions'> {
  role: WholeProfile['role']['name']
  permissions: WholeProfile['permissions'][number]['name'][]
}

/** What is to be paid, and where to. Amounts are decimal numbers of coins, as text. */
export interface PaymentRequest extends AskedPayment {
  /** Told where it was looked at by its address. */
  state: PaymentOfAddress['state'] | undefined
  blockchain: StorageTarget | undefined
  ids: string[] | undefined
}

/** How a payment was answered: nothing is left to pay, or this request is. */
export type Payment = { paid: true; message: string } | { paid: false; request: PaymentRequest }

/** Where an item's bytes are, as the service names it: what is read from there is verified against this name. */
export type ContentSource = { blockchain: Blockchain; txids: string[] } | { blockchain: 'IPFS'; cid: string }

/** What JSON can hold; amounts are text. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** One event of the account. `data` is what the API's description says of its type. */
export interface ServiceEvent {
  /** Absent on snapshots, which are not kept. */
  id: string | undefined
  type: EventType | LaterWord
  data: Json | undefined
}
