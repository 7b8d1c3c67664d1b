import { AppError, notFound } from '../../platform/http/errors.ts'
import { eventBody } from './event-text.ts'
import { type SenderContext, sendMessage } from './send-message.ts'
import { selectReceiver } from './sql/webhooks.ts'

/**
 * Sends a message of the type `webhook.test` to a webhook of the user, once, and says what became of it. Nothing that
 * waits for the webhook, and nothing that is known of it, changes. @throws {AppError} 404; 409 where it is sent nothing.
 */
export async function testWebhook(
  context: SenderContext,
  userId: string,
  id: string,
): Promise<{ taken: boolean; problem: string | null }> {
  const now = context.clock()
  const receiver = await selectReceiver(context.db, userId, id, now)
  if (!receiver) throw notFound('You have no webhook with this id.')
  const { url, secret, told } = receiver
  if (!told)
    throw new AppError(
      409,
      'webhook_off',
      'This webhook is paused or turned off, so nothing is sent to it. Resume it first.',
    )
  const body = eventBody('webhook.test', now, JSON.stringify({ id }))
  const message = { webhookId: id, url, secret, id: `test_${crypto.randomUUID()}`, body }
  const answer = await sendMessage(context, message)
  return answer === 'taken' ? { taken: true, problem: null } : { taken: false, problem: answer.problem }
}
