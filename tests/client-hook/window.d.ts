import type { Hook } from '../../client-hook/hook.ts'

declare global {
  interface Window {
    readonly hook: Hook
  }
}
