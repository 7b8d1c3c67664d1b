/** Settings of the machine, which exist on a machine of one's own alone: what each is, and why one would set it. */
export const MACHINE_SETTINGS = {
  LISTEN: {
    what: 'Where clients, or the proxy in front, reach the service: 127.0.0.1:8787, or unix:/run/hookline/public.',
    why: 'Another program may have that port.',
    fallback: '127.0.0.1:8787',
  },
  INTERNAL_LISTEN: {
    what: 'Where the machine itself reaches `/metrics`, and Caddy asks for which hosts it may get certificates: 127.0.0.1:8788.',
    why: 'Another program may have that port. No proxy may forward to it.',
    fallback: '127.0.0.1:8788',
  },
  DATA_DIR: {
    what: 'The folder of everything that is stored: /var/lib/hookline.',
    why: 'A larger disk may be elsewhere.',
    fallback: '/var/lib/hookline',
  },
  TRUSTED_PROXIES: {
    what: 'Networks whose `X-Forwarded-For`, `-Host` and `-Proto` are believed, such as 127.0.0.1,10.0.0.0/8. None by default.',
    why: 'The last hop that is none of them is the client that limits count.',
    fallback: '',
  },
  DISK_BYTES: {
    what: 'Bytes that the stored data may take. No limit by default; `init` sets it to what is free.',
    why: 'New items are refused before the disk is full: from 80 % those of who never paid, from 95 % all.',
    fallback: '',
  },
  CACHE_BYTES: {
    what: 'Bytes of that for contents which are fetched again where they are missing: 8589934592.',
    why: 'More of them answer without the node; the oldest give way.',
    fallback: String(8 * 2 ** 30),
  },
  CACHE_MEMORY: {
    what: 'Bytes of memory for contents of 1 to 12 MiB that are read often: 134217728, at most a quarter of the memory.',
    why: 'More of them are answered without the disk.',
    fallback: String(128 * 2 ** 20),
  },
  AWS_ENDPOINT_URL_S3: {
    what: 'Where `backup --to s3:…` copies to: https://<account>.r2.cloudflarestorage.com. Amazon S3 by default.',
    why: 'Any service with the API of S3 will do.',
    fallback: '',
  },
  AWS_REGION: {
    what: 'The region of that: us-east-1 by default; R2 takes auto.',
    why: 'It is a part of the signature of each request.',
    fallback: 'us-east-1',
  },
  AWS_ACCESS_KEY_ID: {
    what: 'The id of the key for that.',
    why: 'A copy on the same disk is lost with it.',
    fallback: '',
  },
  AWS_SECRET_ACCESS_KEY: {
    what: 'The secret of that key. It is secret.',
    why: 'Let it write to one bucket alone.',
    fallback: '',
  },
} as const

export type MachineSetting = keyof typeof MACHINE_SETTINGS

/** Their names. */
export const MACHINE_NAMES: readonly MachineSetting[] = [
  'LISTEN',
  'INTERNAL_LISTEN',
  'DATA_DIR',
  'TRUSTED_PROXIES',
  'DISK_BYTES',
  'CACHE_BYTES',
  'CACHE_MEMORY',
  'AWS_ENDPOINT_URL_S3',
  'AWS_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
]
