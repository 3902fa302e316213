/* Paths of account pages that more than one file leads to. */

export const loginPath = '/accounts/login/'
export const logoutPath = '/accounts/logout/'
export const codeLoginPath = '/accounts/login/code/'
export const connectionsPath = '/accounts/3rdparty/'
export const inactivePath = '/accounts/inactive/'
export const twoFactorPath = '/accounts/2fa/'
