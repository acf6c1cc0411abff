"""What the workload files of one library share. Each module is imported only inside that library's environment."""
