"""What an orchestrator's steps show: planning, coordination, parallelism, recovery and resources."""
