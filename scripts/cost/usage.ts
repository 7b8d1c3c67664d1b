/** What Cloudflare bills, and `statements` of D1, which it does not. */
export interface Usage {
  /** Of the Worker: requests of clients, and each minute's trigger. */
  requests: number
  /** Of the whole workerd process, which is more than Cloudflare counts. */
  cpuMs: number
  statements: number
  rowsRead: number
  rowsWritten: number
  /** Operations of R2 that write or list, and that read. */
  classA: number
  classB: number
  /** Of the objects: calls and alarms; how long they ran; rows of their storage. */
  objectRequests: number
  objectMs: number
  objectRowsRead: number
  objectRowsWritten: number
}

/** What `bench/meter-costs.ts` has metered: in a second, and for each item and each read beside that. */
export interface Metered {
  /** Of each item, on one transaction of Nativecoin. */
  itemBytes: number
  idle: Usage
  /** In a second while a payment request is open on each chain, so that its agent looks for a payment. */
  waiting: Usage
  /** From its upload until it is stored, and its first read, which has it put into the bucket. */
  item: Usage
  /** A read that is answered from the bucket, by an isolate that has just started. */
  cold: Usage
  /** A read that is answered from an isolate's memory. */
  warm: Usage
}

export const METERED = new URL('./metered.json', import.meta.url)
