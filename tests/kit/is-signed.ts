import { AwsV4Signer } from 'aws4fetch'

/** Who may sign, for S3 in a region. */
export interface Signer {
  accessKeyId: string
  secretAccessKey: string
  region: string
}

/** Whether a request has the signature (AWS, version 4) that a key makes of it. */
export async function isSigned(request: Request, { accessKeyId, secretAccessKey, region }: Signer): Promise<boolean> {
  const given = request.headers.get('authorization') ?? ''
  const [, named = ''] = /SignedHeaders=([^,]+)/.exec(given) ?? []
  const headers = Object.fromEntries(
    named
      .split(';')
      .filter((name) => name !== 'host')
      .map((name) => [name, request.headers.get(name) ?? '']),
  )
  const signer = new AwsV4Signer({
    method: request.method,
    url: request.url,
    headers,
    accessKeyId,
    secretAccessKey,
    service: 's3',
    region,
    datetime: request.headers.get('x-amz-date') ?? '',
    allHeaders: true,
  })
  return (await signer.sign()).headers.get('authorization') === given
}
