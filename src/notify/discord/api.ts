/** The version of Discord's API whose answers we read. Without one, a deprecated version answers, which counts its pauses in ms. */
export const API_VERSION = '/v10'

/** How a program names itself to Discord (Discord, "User Agent"). @param appUrl the `APP_URL` setting */
export const discordHeaders = (appUrl: string) => ({ 'user-agent': `DiscordBot (${appUrl}, 1.0)` })
