import { makeVapidVars, type VapidVars } from './push/vapid-keys.ts'

/** The number that the app sends from. */
export const SMS_FROM = '+12025550100'

/** Signs the email provider's reports. */
export const MAIL_WEBHOOK_SECRET = `whsec_${Buffer.from('the local world signs its reports').toString('base64')}`

/**
 * The app's variables with which every external service is the world at `worldUrl`. `TWILIO_AUTH_TOKEN`,
 * `RESEND_API_KEY` and the app's own are added.
 */
export function worldBindings(worldUrl: string, twilioAccountSid: string, vapid: VapidVars = makeVapidVars()) {
  return {
    ...vapid,
    PUSH_SERVICE_URL: `${worldUrl}/push`,
    SMS_API_URL: `${worldUrl}/sms`,
    TWILIO_ACCOUNT_SID: twilioAccountSid,
    SMS_FROM,
    MAIL_PROVIDER: 'resend',
    RESEND_API_URL: `${worldUrl}/mail`,
    RESEND_WEBHOOK_SECRET: MAIL_WEBHOOK_SECRET,
    MAIL_FROM: 'Class Cords <alerts@example.com>',
    DISCORD_API_URL: `${worldUrl}/discord/api`,
    DISCORD_OAUTH_URL: `${worldUrl}/discord/oauth2`,
    DISCORD_CDN_URL: `${worldUrl}/discord/cdn`,
    DISCORD_CLIENT_ID: 'local-world',
    DISCORD_CLIENT_SECRET: 'local-world-discord-secret',
  }
}
