/** The pages anybody can open. The school is the first with servers. */
export const pages = (schoolId: number, serverId: number): readonly string[] => [
  '/',
  '/classcords/',
  '/classcords/all/',
  `/classcords/school/${schoolId}/`,
  `/classcords/server/${serverId}/`,
  '/classcords/login/',
  '/accounts/login/',
  '/accounts/login/code/',
  '/accounts/signup/',
  '/accounts/password/reset/',
  '/accounts/discord/login/',
  '/class_tracker/',
  '/class_tracker/login_view/',
]
