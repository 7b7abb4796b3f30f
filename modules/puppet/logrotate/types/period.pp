# How often logs are rotated.
type Logrotate::Period = Enum['daily', 'weekly', 'monthly', 'yearly']
