/**
 * The responses of the service as types. They are generated from the contract, and every response is checked against
 * it.
 */
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
  Prices,
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

/** What to pay, and where to. Amounts are decimal numbers of coins, as text. */
export interface PaymentRequest extends AskedPayment {
  /** Set if the request was read by its address. */
  state: PaymentOfAddress['state'] | undefined
  blockchain: StorageTarget | undefined
  ids: string[] | undefined
}

/** The outcome of a payment: nothing is left to pay, or this request is open. */
export type Payment = { paid: true; message: string } | { paid: false; request: PaymentRequest }

/** Where an item's bytes are, as the service names it. What is read from there is verified against this name. */
export type ContentSource = { blockchain: Blockchain; txids: string[] } | { blockchain: 'IPFS'; cid: string }

/** A JSON value; amounts are text. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** One event of the account. The API description defines `data` for each type. */
export interface ServiceEvent {
  /** Absent on snapshots, which are not stored. */
  id: string | undefined
  type: EventType | LaterWord
  data: Json | undefined
}
