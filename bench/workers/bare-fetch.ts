import { fetchBatches } from './fetch-batches.ts'

// The node alone: sends it the batches in the body and reads the responses.
export default {
  async fetch(request: Request): Promise<Response> {
    return new Response(String(await fetchBatches(await request.json())))
  },
}
