// What is loaded together to look at this service: parts of their own would divide what they share into small modules.
export { answerMetrics, hasMetricsToken } from './metrics/answer-metrics.ts'
export { operateHealth } from './operate-health.ts'
