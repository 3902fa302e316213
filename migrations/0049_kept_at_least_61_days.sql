-- Alerts are kept for at least 61 days now; a shorter time that staff had chosen becomes the shortest allowed.
UPDATE setting SET value = '61' WHERE name = 'keep_alerts_days' AND CAST(value AS INTEGER) BETWEEN 7 AND 60;
