import type { Model } from '../world.ts'

/** D1's limit of statements for one request or alarm; its other limits always hold. */
export const queryLimit: Model = {
  begin({ d1, stage }) {
    d1.invocation = () => stage.task
  },
  happen() {},
}
