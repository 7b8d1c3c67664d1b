import { askBatches } from './ask-batches.ts'

// The node alone: asks it for the batches in the body and reads the answers.
export default {
  async fetch(request: Request): Promise<Response> {
    return new Response(String(await askBatches(await request.json())))
  },
}
