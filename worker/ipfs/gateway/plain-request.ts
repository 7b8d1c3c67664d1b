/** Query parameters by which gateways are asked for content in another form. */
const GATEWAY_PARAMETERS = ['format', 'filename', 'download']

/**
 * A request for content in its own form at `url`, where it is not a gateway that is asked: whatever `Accept` or
 * the query say is for the content's own scripts.
 */
export function plainRequest(request: Request, url: URL): Request {
  const plain = new URL(url)
  for (const name of GATEWAY_PARAMETERS) plain.searchParams.delete(name)
  const headers = new Headers(request.headers)
  for (const name of ['Accept', 'Authorization', 'Cookie']) headers.delete(name)
  return new Request(plain, new Request(request, { headers }))
}
