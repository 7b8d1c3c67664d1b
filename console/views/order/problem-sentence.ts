import type { OrderFile } from '../../core/order.ts'
import { texts } from '../../texts/index.ts'

/** Why a file failed: the service's sentence, else one by its status. */
export function problemSentence(problem: OrderFile['problem']): string {
  if (!problem) return texts.failures.refused
  if (problem.message !== '') return problem.message
  if (problem.status === 404 || problem.status === 410) return texts.order.uploadGone
  return problem.status === 0 ? texts.failures.offline : `${texts.failures.refused} (${problem.status} ${problem.code})`
}
