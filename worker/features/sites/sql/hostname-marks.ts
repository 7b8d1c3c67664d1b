const PREFIX = 'hostnames/'

/**
 * A custom hostname that was made at Cloudflare by this service. In the bucket and not in D1, so that it is known after
 * D1 was restored to a time before.
 */
export interface HostnameMark {
  host: string
  /** Its id at Cloudflare; unknown where no reply arrived. */
  id: string | undefined
  /** In milliseconds. */
  markedAt: number
}

/** Marks a host as made by us: before it is made, and with its id afterwards. */
export async function putHostnameMark(bucket: R2Bucket, host: string, id?: string): Promise<void> {
  await bucket.put(PREFIX + host, '', id === undefined ? {} : { customMetadata: { id } })
}

/** Forgets what was removed at Cloudflare. */
export async function deleteHostnameMark(bucket: R2Bucket, host: string): Promise<void> {
  await bucket.delete(PREFIX + host)
}

/** The marks behind the host `after`, in the order of hosts, and whether these are the last. */
export async function listHostnameMarks(
  bucket: R2Bucket,
  after: string,
  limit: number,
): Promise<{ marks: HostnameMark[]; last: boolean }> {
  const listed = await bucket.list({
    prefix: PREFIX,
    limit,
    include: ['customMetadata'],
    ...(after === '' ? {} : { startAfter: PREFIX + after }),
  })
  const marks = listed.objects.map(({ key, customMetadata, uploaded }) => ({
    host: key.slice(PREFIX.length),
    id: customMetadata?.id,
    markedAt: uploaded.getTime(),
  }))
  return { marks, last: !listed.truncated }
}
