import type { Hook } from '../../client-hook/start-hook.ts'

declare global {
  interface Window {
    readonly hook: Hook
  }
}
