/** Stores files on Bitcoin-family chains and IPFS, and reads and verifies them. */
export { formatAmount, parseAmount } from '../protocol/amount.ts'
export type { Checkpoint } from '../reader/proof/checkpoint.ts'
export { ReaderError, type ReaderErrorCode } from '../reader/reader-error.ts'
export { memoryTokenStore, type TokenStore } from './auth/session.ts'
export { type Client, type ClientOptions, createClient } from './create-client.ts'
export type { FileHandle, FolderHandle, FolderOptions, SkippedPath } from './folder/folder-files.ts'
export type { FolderForm } from './folder/folder-form.ts'
export type { PutFolderOptions, PutFolderResult } from './folder/put-folder.ts'
export type { GetOptions, GetSource, VerifiedContent } from './get.ts'
export { ApiError, HooklineError } from './http/api-error.ts'
export type { ErrorCode, LibraryErrorCode } from './http/error-codes.ts'
export type { List } from './http/pages.ts'
export type { RequestLog } from './http/transport.ts'
export { type ItemState, itemState } from './item-state.ts'
export { type ProofRules, type Proven, type ProveOptions, prove, verifySavedProof } from './prove-transactions.ts'
export { type ReadChainOptions, readChainContent, type Transaction, verifyTransaction } from './read-chain-content.ts'
export { readChainRange } from './read-chain-range.ts'
export { readChainSite } from './read-chain-site.ts'
export {
  type BlockStore,
  type ContentId,
  type IpfsContent,
  type IpfsDirectoryFile,
  type ReadIpfsOptions,
  readIpfs,
  readIpfsDirectory,
} from './read-ipfs.ts'
export { type OthersContent, readNamed } from './read-named.ts'
export type { NewApiKey } from './resources/account.ts'
export type { CallOptions, KeyedOptions } from './resources/call-options.ts'
export type { EventOptions } from './resources/events.ts'
export type { KnownFile } from './resources/folders.ts'
export type { NewItem } from './resources/item-uploads.ts'
export type { ItemFilter, OwnContent } from './resources/items.ts'
export type { NewWithdrawal } from './resources/payments.ts'
export type { SavedProof } from './saved-proof.ts'
export type { Hasher } from './store/byte-source.ts'
export { TooDearError } from './store/pay-order.ts'
export type { PutOptions, PutProgress, PutResult } from './store/put.ts'
export type { ByteSource, ByteStream, PutContent, StreamedContent } from './store/put-content.ts'
export { type FileFault, InvalidFilesError, type PutFile } from './store/put-plan.ts'
export type { WatchOptions } from './store/watch.ts'
export { memoryStateStore, type StateStore } from './stores/state-store.ts'
export { fileStateStore, indexedDbStateStore, localStorageStateStore } from './stores/stores.ts'
export type * from './types.ts'
