"""Who is examined: one file per way to reach an agent, one contract (`proctor.roles.Agent`)."""
