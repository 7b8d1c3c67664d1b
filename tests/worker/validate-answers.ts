import worker from '../../worker/index.ts'
import { holdToDescription } from '../kit/hold-to-description.ts'

const API = 'https://api.example'

let validating = false

/** Holds every answer that a test gets from the API host against its own description. */
export function validateAnswers(): void {
  if (validating) return
  validating = true
  const { fetch } = worker
  worker.fetch = async (request, env, ctx) => {
    const response = await fetch(request, env, ctx)
    if (!request.url.startsWith(`${API}/`)) return response
    const { status, headers } = response
    const isJson = headers.get('Content-Type')?.startsWith('application/json') ?? false
    const body = isJson ? await response.clone().text() : ''
    holdToDescription({ method: request.method, pathname: new URL(request.url).pathname, status, headers, body })
    return response
  }
}
